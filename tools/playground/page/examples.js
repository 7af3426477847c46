// The examples, in the order of their names in words.js, and the five texts of the README, which the page of the
// service offers too; the build writes their file.

import { UGLY_TEXTS } from "./ugly_texts.js";

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

const SPELLED = `from datetime import date
from enum import Enum

from pydantic import BaseModel, Field


class Action(Enum):
    BUY = "BUY"
    SELL = "SELL"


class Advice(BaseModel):
    action: Action
    confidence: float = Field(ge=0, le=1)
    market_value: int
    since: date
    reasons: list[str]
`;

const UGLY = `from pydantic import BaseModel


class Order(BaseModel):
    item: str
    quantity: int
    tags: list[str] = []
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
  {
    source: SPELLED,
    coerce: true,
    text: `{
  "action": "Buy (买入)",
  "confidence": "85%",
  "market_value": "1.2亿元",
  "since": "2025年11月12日",
  "reasons": "orders grow"
}`,
  },
  ...UGLY_TEXTS.map((one) => ({
    names: { en: one.en, zh: one.zh },
    source: one.is_list ? `${UGLY}\n\nAnswer = list[Order]\n` : UGLY,
    text: one.text,
  })),
];
