"""The base of all tables: a class for each, whose attributes are its columns.

They are tables of SQLAlchemy's Core.  Importing its ORM and mapping classes takes longer than most
shell commands.

Moments are whole seconds since 1970, UTC.  Seats count from 0.  Secrets are never in clear text: a
password is an argon2id hash, a token is kept as its SHA-256.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Self, cast

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    FromClause,
    Index,
    Integer,
    MetaData,
    Table,
    text,
)
from sqlalchemy.types import TypeEngine

from pbmserv.fast_dataclasses import dataclass

_OR_NONE = " | None"
# A moment exceeds 32 bits in 2038.  SQLite's INTEGER has 64, and only a column of that type
# becomes a key.
_TYPES: dict[str, TypeEngine[Any]] = {
    "int": BigInteger().with_variant(Integer(), "sqlite"),
    "bool": Boolean(),
}


@dataclass(frozen=True, slots=True)
class _More:
    """What is known of a column besides its name and its annotation."""

    arguments: tuple[Any, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()


def column(*arguments: Any, **options: Any) -> Any:  # of `sqlalchemy.Column`, but the name
    """A column with its type, unless that is int or bool, its foreign key, or options."""
    return _More(arguments, tuple(options.items()))


def partial_index(name: str, column: str, where: str) -> Index:
    """An index over the rows that meet a condition."""
    return Index(name, column, sqlite_where=text(where))


class Base:
    """All tables, with names for every constraint so that a migration can find them again.

    A subclass declares each column by an annotation such as `ColumnClause[int | None]`.  In a
    statement the class may replace its table.
    """

    metadata: ClassVar = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    __tablename__: ClassVar[str]
    __table_args__: ClassVar[tuple[Any, ...]] = ()
    __table_options__: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    __table__: ClassVar[FromClause]

    def __init_subclass__(cls) -> None:
        """Make the table, and its columns the attributes of the class."""
        columns = [_declared(cls, name, kind) for name, kind in cls.__annotations__.items()]
        parts = (*columns, *cls.__table_args__)
        cls.__table__ = Table(cls.__tablename__, cls.metadata, *parts, **cls.__table_options__)
        for each in columns:
            setattr(cls, each.name, each)

    @classmethod
    def __clause_element__(cls) -> FromClause:
        """The table: SQLAlchemy asks for it."""
        return cls.__table__

    @classmethod
    def aliased(cls) -> type[Self]:
        """The same table by another name, for a statement in which it occurs twice."""
        alias = cls.__table__.alias()
        members = {**alias.c, "__clause_element__": staticmethod(lambda: alias)}
        return cast("type[Self]", type(cls.__name__, (), members))


def complete_indexes() -> None:
    """Give partial indexes their condition on PostgreSQL, too, for a new migration.

    Indexes do not have it from the start, as each process would import PostgreSQL's drivers for it.
    """
    for table in Base.metadata.tables.values():
        for index in table.indexes:
            if (where := index.dialect_kwargs.get("sqlite_where")) is not None:
                index.dialect_kwargs["postgresql_where"] = where


def _declared(cls: type[Base], name: str, annotation: str) -> Column[Any]:
    """The column that an annotation and perhaps a `column` declare."""
    kind = annotation.removeprefix("ColumnClause[").removesuffix("]")
    more: _More = vars(cls).get(name, _More())
    arguments = more.arguments
    if not any(isinstance(each, ForeignKey) for each in arguments):  # it has the other's type
        arguments = arguments or (_TYPES[kind.removesuffix(_OR_NONE)],)
    nullable = kind.endswith(_OR_NONE)
    return Column(name, *arguments, nullable=nullable, **dict(more.options))
