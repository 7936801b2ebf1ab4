"""The alembic environment: it runs the steps over one connection, in the caller's transaction.

The program passes its connection in `config.attributes`.  A developer's `alembic -c setup.cfg …`
has none and uses the home in PBMSERV_HOME.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from alembic import context
from alembic.operations import MigrationScript
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection

from pbmserv.database.engine import close, engine_for
from pbmserv.database.models import Base
from pbmserv.database.models.base import complete_indexes
from pbmserv.database.upgrade import restructuring
from pbmserv.home import find_home, open_home


def _numbered(
    migration: MigrationContext,
    revision: str | Iterable[str | None] | Iterable[str],
    directives: list[MigrationScript],
) -> None:
    """Name a new step by the next number."""
    for directive in directives:
        newest = context.script.get_current_head()
        directive.rev_id = f"{int(newest or 0) + 1:04d}"


def _run(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_as_batch=True,
        compare_type=True,
        process_revision_directives=_numbered,
    )
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    _run(given)
else:
    complete_indexes()
    engine = engine_for(open_home(find_home(None, os.environ)))
    with restructuring(engine) as connection:
        _run(connection)
    close(engine)
