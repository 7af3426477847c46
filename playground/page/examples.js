// The examples, in the order of their names in words.js.

const ORDER = `from typing import Literal

from pydantic import BaseModel, Field


class Order(BaseModel):
    order: int
    status: Literal["paid", "open"]
    items: list[str]
    discount: float = Field(ge=0, le=1)
`;

const LIST = `from pydantic import BaseModel


class Item(BaseModel):
    name: str
    price: float


Answer = list[Item]
`;

export const EXAMPLES = [
  {
    source: ORDER,
    text: `<think>Two items, I'd say: {"order": 1041, "status": "open"}. No, they paid.</think>
Here is the order you asked for:

\`\`\`json
{
  'order': 1041,
  "status"： "paid",   // since Monday
  "items": ["keyboard", “mouse”,],
  "discount": .05,
}
\`\`\`

Let me know if you need anything else!`,
  },
  { source: ORDER, text: `{"order": 1042, "status": "open", "items": ["monitor"], "discount": 0}` },
  { source: ORDER, text: `{"order": 1043, "status": "paid", "items": ["cable", "hu` },
  { source: ORDER, text: `{"order": 1044, "status": "shipped", "items": ["desk"], "discount": 15}` },
  { source: LIST, text: `[{"name": "desk", "price": 249.0}, {name: "chair", price: 99,}]` },
];
