"""Which column plays which role: guessed from the names, shown, and overridable."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tokumei.errors import SchemaError
from tokumei.history import ROLES

# Names that shops and public data sets use, most telling first, as letters and digits only. The
# sum of a row (sales value, 金額) is not a unit price, so it is not guessed to be one.
KNOWN_NAMES: dict[str, tuple[str, ...]] = {
    "person": (
        "person", "customerid", "customer", "customerno", "memberid", "member", "userid", "user",
        "clientid", "client", "householdid", "household", "cardid", "card",
        "顧客id", "顧客番号", "顧客コード", "顧客", "会員id", "会員番号", "会員コード", "会員",
        "お客様id", "お客様番号", "利用者",
    ),
    "item": (
        "item", "itemid", "stockcode", "productid", "product", "productcode", "sku", "goods",
        "article", "exit", "商品id", "商品コード", "商品番号", "商品", "品目", "品番",
        "itemname", "productname", "商品名", "品名",
    ),
    "time": (
        "time", "timestamp", "datetime", "date", "invoicedate", "transactiontimestamp",
        "transactiondate", "purchasedate", "orderdate", "day",
        "購入日時", "購入日", "購買日時", "購買日", "取引日時", "取引日", "注文日時", "注文日",
        "日時", "日付",
    ),
    "price": (
        "price", "unitprice", "fare", "単価", "価格", "運賃",
    ),
    "quantity": ("quantity", "qty", "count", "units", "数量", "購入数量", "個数"),
    "basket": (
        "basket", "basketid", "invoiceno", "invoice", "orderid", "order", "receiptid", "receipt",
        "transactionid", "伝票番号", "伝票id", "伝票", "注文番号", "レシート番号",
    ),
}  # fmt: skip


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()


def free_name(name: str, taken: Sequence[str]) -> str:
    """Return the name, with so many underscores added that nothing else has it."""
    while name in taken:
        name += "_"
    return name


def find_roles(columns: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Return role → column: what the user gave ('' for none), and for the rest the best guess."""
    refused = {role for role, column in given.items() if column == ""}
    given = {role: column for role, column in given.items() if column}
    for role, column in given.items():
        if column not in columns:
            raise SchemaError(
                f"The column '{column}' given for {role} is not there; "
                f"the columns are {', '.join(columns)}."
            )
        if other := next((r for r, c in given.items() if c == column and r != role), None):
            raise SchemaError(f"The column '{column}' is given for {other} and for {role}.")
    roles = dict(given)
    plain = {_plain(column): column for column in columns if column not in given.values()}
    for role in ROLES:
        if role not in roles and role not in refused:
            found = next((plain[name] for name in KNOWN_NAMES[role] if name in plain), None)
            if found is not None and found not in roles.values():
                roles[role] = found
    if "person" not in roles:
        headless = sum(column.replace(".", "").isdigit() for column in columns) > 1
        hint = (
            " The first row looks like data: is it a contest file (option format)?"
            if headless
            else ""
        )
        raise SchemaError(
            f"No column looks like the customer; the columns are {', '.join(columns)}: "
            f"say which it is (option person).{hint}"
        )
    return {role: roles[role] for role in ROLES if role in roles}
