"""Who may ask the service, how much, and what every answer says to a browser: plain ASGI, put together by `guards`."""
