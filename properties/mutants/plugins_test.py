#!/usr/bin/env python3
"""Tests of plugins.py: what criteria.txt may not say, and what is written for a mutant."""

import pathlib
import tempfile
import unittest

import plugins
import score

MUTANTS = score.read_all()
GOOD = ["attention_head_modulo", "softmax_no_max_subtraction"]


class Chosen(unittest.TestCase):
    def complaint(self, names, count=2):
        with self.assertRaises(score.Malformed) as caught:
            plugins.chosen(names, MUTANTS, count)
        return str(caught.exception)

    def test_the_order_of_the_list_is_kept(self):
        names = [mutant.name for mutant in plugins.chosen(GOOD, MUTANTS, 2)]
        self.assertEqual(names, GOOD)

    def test_unknown_repeated_or_too_few(self):
        self.assertIn("no mutant is named 'x'", self.complaint(["x", GOOD[0]]))
        self.assertIn("named twice", self.complaint([GOOD[0], GOOD[0]]))
        self.assertIn("2 mutants, not 12", self.complaint(GOOD, plugins.COUNT))

    def test_host_code_is_refused(self):
        self.assertIn("not in a .cu", self.complaint(["attention_exp2_without_log2e", GOOD[0]]))

    def test_comments_and_blank_lines_are_no_names(self):
        self.assertEqual(plugins.names_of("# why\n\n a \nb\n"), ["a", "b"])


class Written(unittest.TestCase):
    def test_the_mutated_file_alone_and_a_source_that_changes_with_it(self):
        mutant = plugins.chosen(GOOD, MUTANTS, 2)[0]
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder)
            plugins.write_plugin(mutant, output)
            written = [path for path in output.rglob("*") if path.is_file()]
            overlay = output / mutant.name / mutant.fields["file"]
            entry = output / f"{mutant.name}.cc"
            self.assertEqual(sorted(written), sorted([overlay, entry]))
            self.assertIn(mutant.new, overlay.read_text())
            self.assertNotIn(mutant.old, overlay.read_text())
            before, stamp = entry.read_text(), entry.stat().st_mtime_ns
            plugins.write_plugin(mutant, output)
            self.assertEqual(entry.stat().st_mtime_ns, stamp)
            mutant.new += "\n// more"
            plugins.write_plugin(mutant, output)
            self.assertNotEqual(entry.read_text(), before)


if __name__ == "__main__":
    unittest.main()
