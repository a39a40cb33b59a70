package main

import "testing"

// The text of each mutant occurs in its file: otherwise it would have no effect.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range mutants() {
		if _, err := m.text("../.."); err != nil {
			t.Error(err)
		}
		if seen[m.Name] {
			t.Errorf("there are two mutants %q", m.Name)
		}
		seen[m.Name] = true
	}
}
