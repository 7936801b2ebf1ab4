"""The base of all tables: names for constraints, and 64-bit integers."""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import BigInteger, Integer, MetaData
from sqlalchemy.orm import DeclarativeBase


class Base(DeclarativeBase):
    """All tables, with names for every constraint so that a migration can find them again."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    # A moment exceeds 32 bits in 2038.  SQLite's INTEGER has 64, and only a column of that type
    # becomes a key.
    type_annotation_map: ClassVar = {int: BigInteger().with_variant(Integer(), "sqlite")}
