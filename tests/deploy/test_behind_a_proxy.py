"""The configuration of nginx on the page, with a real nginx before a real service."""

from __future__ import annotations

import http.client
import re
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from src.entrypoints.http.app import create_app
from src.entrypoints.http.service_settings import ServiceSettings
from src.modules.monitoring.infrastructure.monitoring_settings import MonitoringSettings
from tests.entrypoints.http.attacks.wire import parse_body
from tests.installed import program
from tests.loopback.asgi_server import AsgiServer
from tests.paths import ROOT
from tests.processes import LIMIT, ending

NGINX = program("nginx")
CERTIFICATE = ROOT / "tests/loopback/certificates/valid.pem"
PAGE = (ROOT / "docs/how-to/run-behind-a-proxy.md").read_text(encoding="utf-8")
HOST = "parser.example.com"

pytestmark = pytest.mark.skipif(NGINX is None, reason="there is no nginx: apt install nginx")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def configured(folder: Path, port: int, service: str) -> Path:
    """The page's configuration with a port, a certificate and a service of this test."""
    (block,) = re.findall(r"```nginx\n(.*?)```", PAGE, re.DOTALL)
    changes = {
        "127.0.0.1:8421": service,
        "listen 443": f"listen 127.0.0.1:{port}",
        "/etc/ssl/parser.pem": str(CERTIFICATE),
        "/etc/ssl/parser.key": str(CERTIFICATE),
    }
    for there, here in changes.items():
        assert there in block
        block = block.replace(there, here)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    file = folder / "nginx.conf"
    file.write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/errors;\nevents {{}}\n"
        f"http {{ access_log off; {folders}\n{block}}}\n",
        encoding="utf-8",
    )
    return file


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder, port = tmp_path_factory.mktemp("nginx"), free_port()
    folder.chmod(0o755)
    settings = ServiceSettings(hosts=(HOST,), trusted_proxies=("127.0.0.1",))
    with AsgiServer(create_app(settings, MonitoringSettings())) as service:
        file = configured(folder, port, service.root.removeprefix("http://"))
        command = (str(NGINX), "-p", str(folder), "-c", str(file), "-e", str(folder / "errors"))
        subprocess.run([*command, "-t"], check=True, capture_output=True)  # noqa: S603 - nginx
        with ending(subprocess.Popen(command)) as nginx:  # noqa: S603 - nginx
            wait_for(port)
            yield port
            nginx.terminate()
            nginx.wait(LIMIT)


def wait_for(port: int) -> None:
    until = time.monotonic() + 5
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            assert time.monotonic() < until
        else:
            return


def status(port: int, body: bytes, **headers: str) -> int:
    context = ssl.create_default_context(cafile=str(CERTIFICATE))
    connection = http.client.HTTPSConnection("localhost", port, context=context, timeout=10)
    named = {"Content-Type": "application/json", "Host": HOST, **headers}
    connection.request("POST", "/v1/parse", body, named)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


def test_request_reaches_the_service_under_the_name_that_clients_ask_for(proxy: int) -> None:
    assert status(proxy, parse_body()) == 200


def test_page_behind_the_proxy_may_change_and_another_site_may_not(proxy: int) -> None:
    assert status(proxy, parse_body(), Origin=f"https://{HOST}") == 200
    assert status(proxy, parse_body(), Origin="https://attacker.example") == 403


def test_other_names_and_large_bodies_are_refused(proxy: int) -> None:
    assert status(proxy, parse_body(), Host="attacker.example") == 421
    assert status(proxy, b"x" * 2_000_000) == 413
