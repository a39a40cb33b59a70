package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhere tests the table of ARCHITECTURE.md that says where to look first: files and packages exist, and what is named
// beside a file is in it.
func TestWhere(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(b), "\n## Where is …\n")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := strings.Split(strings.TrimSpace(table), "\n")
	if len(rows) < 10 {
		t.Fatalf("the table has %d lines: it is not found", len(rows))
	}
	for _, row := range rows {
		for part := range strings.SplitSeq(row, ";") {
			checkPlace(t, part)
		}
	}
	p, err := parsePage("ARCHITECTURE.md", table)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.links(root); err != nil {
		t.Error(err)
	}
}

// checkPlace checks the names in backquotes: those with a slash are files and packages, the others are in the last file
// before them.
func checkPlace(t *testing.T, text string) {
	t.Helper()
	source := ""
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		name := filepath.Join(root, m[1])
		if info, err := os.Stat(name); strings.Contains(m[1], "/") && err != nil {
			t.Error(err)
		} else if err == nil && !info.IsDir() {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			source = string(b)
		} else if err != nil && !strings.Contains(source, m[1]) {
			t.Errorf("%s: the file has no %s", strings.TrimSpace(text), m[1])
		}
	}
}
