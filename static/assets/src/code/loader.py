#!/usr/bin/env python3
"""Print a summary of CSV files."""
import argparse
import json
import logging
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional

logger = logging.getLogger(__name__)


@dataclass
class Summary:
    name: str
    values: List[float] = field(default_factory=list)

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def mean(self) -> float:
        return sum(self.values) / len(self.values) if self.values else 0.0


def main(argv: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="files to read")
    args = parser.parse_args(argv)
    result: Dict[str, Any] = {}
    for i, path in enumerate(args.files):
        try:
            with open(path, encoding="utf-8") as f:
                result[path.name] = [float(line.strip()) for line in f]
        except (OSError, ValueError) as e:
            print(f"error: {path}: {e}", file=sys.stderr)
            return 1
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    sys.exit(main())
