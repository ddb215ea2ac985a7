"""Lazy frames of tables: polars and duckdb read only what a query needs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ._tetrastat import SettingError, Table, TetrastatError

#: Tables that are CSV in every run. They are small, so the engine reads them at once.
ALWAYS_CSV = (
    "games",
    "matches",
    "conditions",
    "estimates",
    "means",
    "contrasts",
    "reproduced",
    "levels",
    "replications",
    "heights",
)

#: Column, operator, value and type of the column of each comparison.
_Comparisons = list[tuple[str, str, str, str]]


def scan(tables: Sequence[Table], engine: str, data: Any = None) -> Any:
    """Returns the rows of tables with equal columns and selections as one lazy frame.

    With ``data``, a ``pyarrow.dataset.Dataset``, the rows are those of ``data``.
    """
    if engine not in ("polars", "duckdb"):
        raise SettingError(f"engine '{engine}': use 'polars' or 'duckdb'")
    found = [table._selection() for table in tables]
    files = [file for file, _, _ in found]
    if all(file is not None and file.suffix == ".parquet" for file in files):
        _, comparisons, every = found[0]
        lazy = _scan_polars if engine == "polars" else _scan_duckdb
        return lazy([str(file) for file in files], data, tables[0].columns, comparisons, every)
    for file in files:
        if file is not None:
            _refuse_log(file)
    return _in_memory(tables, engine)


def _refuse_log(file: Path) -> None:
    name = file.name.split(".")[0]
    if file.suffix != ".parquet" and name not in ALWAYS_CSV:
        raise TetrastatError(
            f"{file} is CSV, which has no types: play with placements=\"parquet\", or convert the run with "
            f"`tetrastat data convert {file.parent} FOLDER --format parquet`"
        )


def _in_memory(tables: Sequence[Table], engine: str) -> Any:
    if engine == "polars":
        import polars

        return polars.concat([polars.DataFrame(table) for table in tables]).lazy()
    import duckdb
    import pyarrow

    return duckdb.from_arrow(pyarrow.concat_tables([pyarrow.table(table) for table in tables]))


def _scan_polars(files: list[str], data: Any, columns: list[str], comparisons: _Comparisons, every: int) -> Any:
    import polars

    frame = polars.scan_parquet(files) if data is None else polars.scan_pyarrow_dataset(data)
    for comparison in comparisons:
        frame = frame.filter(polars.sql_expr(_condition(*comparison)))
    if every > 1:
        frame = frame.gather_every(every)
    return frame.select(columns)


def _typed(value: str, kind: str) -> Any:
    if kind in ("factor", "text"):
        return value
    if kind == "logical":
        return value.upper() == "TRUE"
    number = float(value)
    return int(number) if number.is_integer() else number


def _scan_duckdb(files: list[str], data: Any, columns: list[str], comparisons: _Comparisons, every: int) -> Any:
    import duckdb

    names = ", ".join(map(_quoted_name, columns))
    condition = " AND ".join(_condition(*comparison) for comparison in comparisons) or "TRUE"
    listed = ", ".join(map(_quoted_text, files))
    if data is not None:
        return duckdb.from_arrow(data).query("parts", f"SELECT {names} FROM parts WHERE {condition}")
    if every == 1:
        return duckdb.sql(f"SELECT {names} FROM read_parquet([{listed}]) WHERE {condition}")
    number = "row_number() OVER (ORDER BY file_index, file_row_number) - 1"
    return duckdb.sql(
        f"SELECT {names} FROM (SELECT *, {number} AS row_of_selection FROM "
        f"read_parquet([{listed}], file_row_number=true) WHERE {condition}) WHERE row_of_selection % {every} = 0"
    )


def _condition(column: str, sign: str, value: str, kind: str) -> str:
    name = _quoted_name(column)
    if value == "NA" and sign in ("=", "==", "!="):
        return f"{name} IS {'NOT ' if sign == '!=' else ''}NULL"
    typed = _typed(value, kind)
    return f"{name} {'=' if sign == '==' else sign} {_quoted_text(typed) if isinstance(typed, str) else typed}"


def _quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _quoted_text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
