"""Import hourly tide readings from the harbour's FTP drop into the database."""

from __future__ import annotations

import argparse
import csv
import logging
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

import psycopg

log = logging.getLogger("tide_import")

MAX_GAP = timedelta(hours=3)


@dataclass(frozen=True, slots=True)
class Reading:
    station: str
    at: datetime
    level_cm: float
    quality: str

    @property
    def usable(self) -> bool:
        return self.quality in {"A", "B"} and -400.0 < self.level_cm < 900.0


class BadFile(Exception):
    """The file as a whole cannot be trusted."""


def parse(path: Path) -> Iterator[Reading]:
    with path.open(newline="", encoding="latin-1") as handle:
        rows = csv.DictReader(handle, delimiter=";")
        missing = {"STN", "UTC", "CM", "Q"} - set(rows.fieldnames or ())
        if missing:
            raise BadFile(f"{path.name}: columns missing: {', '.join(sorted(missing))}")
        for number, row in enumerate(rows, start=2):
            try:
                yield Reading(
                    station=row["STN"].strip().upper(),
                    at=datetime.strptime(row["UTC"], "%Y%m%d%H%M").replace(tzinfo=timezone.utc),
                    level_cm=float(row["CM"].replace(",", ".")),
                    quality=row["Q"].strip() or "X",
                )
            except ValueError as error:
                log.warning("%s:%d skipped: %s", path.name, number, error)


def gaps(readings: list[Reading]) -> Iterator[tuple[str, datetime, timedelta]]:
    previous: dict[str, datetime] = {}
    for reading in sorted(readings, key=lambda r: (r.station, r.at)):
        before = previous.get(reading.station)
        if before is not None and reading.at - before > MAX_GAP:
            yield reading.station, before, reading.at - before
        previous[reading.station] = reading.at


def store(connection: psycopg.Connection, readings: list[Reading]) -> int:
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute("create temp table incoming (like tide_reading) on commit drop")
        with cursor.copy("copy incoming (station, at, level_cm, quality) from stdin") as copy:
            for reading in readings:
                copy.write_row((reading.station, reading.at, reading.level_cm, reading.quality))
        cursor.execute(
            """
            insert into tide_reading
            select * from incoming
            on conflict (station, at) do update
               set level_cm = excluded.level_cm, quality = excluded.quality
             where tide_reading.quality > excluded.quality
            """
        )
        return cursor.rowcount


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--dsn", default="service=harbour")
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args(argv)
    logging.basicConfig(format="%(levelname)s %(message)s", level=logging.INFO)

    readings: list[Reading] = []
    for path in options.files:
        try:
            readings.extend(r for r in parse(path) if r.usable)
        except BadFile as error:
            log.error("%s", error)
            return 2

    for station, since, length in gaps(readings):
        log.info("gap at %s since %s: %s", station, since.isoformat(), length)

    if options.dry_run:
        log.info("%d readings, nothing stored", len(readings))
        return 0
    with psycopg.connect(options.dsn) as connection:
        log.info("%d rows written", store(connection, readings))
    return 0


if __name__ == "__main__":
    sys.exit(main())
