// Package docs tests the documents: it runs their commands, compares the shown output, compiles their Go, and
// checks that names, flags and links exist. See page_test.go for the comments of a page.
package docs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/modcache"
)

const root = ".."

// pages are all documents for users and for those who work on bbgen.
func pages(t *testing.T) []*page {
	t.Helper()
	names, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	list := []string{"README.md", "CONTRIBUTING.md", "examples/README.md"}
	for _, name := range names {
		list = append(list, "docs/"+name)
	}
	var all []*page
	for _, name := range list {
		p, err := readPage(root, name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// build builds commands into a folder and returns it.
func build(t *testing.T, packages ...string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", append([]string{"build", "-trimpath", "-ldflags=-s -w", "-o", dir}, packages...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, b)
	}
	return dir
}

// TestCommands runs the commands in the documents, each document in a session of its own. With -v it lists
// the commands that are not run unchanged, with the reason.
func TestCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the documents are for a POSIX shell")
	}
	absolute, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	var bbgen string
	if !testing.Short() {
		modcache.Fill(t, root)
		bbgen = build(t, "./cmd/bbgen")
	}
	environment := services(t)
	for _, p := range pages(t) {
		t.Run(strings.ReplaceAll(strings.TrimSuffix(p.name, ".md"), "/", "-"), func(t *testing.T) {
			t.Parallel()
			reportExceptions(t, p)
			if p.long && testing.Short() {
				t.Skip("builds programs")
			}
			s := &session{page: p, dir: t.TempDir(), path: bbgen, services: environment}
			if p.name == "README.md" {
				s.path = "" // it installs bbgen itself
			}
			if err := s.run(t.Context(), absolute); err != nil {
				t.Error(err)
			}
		})
	}
}

// reportExceptions logs why parts of a page are not tested unchanged.
func reportExceptions(t *testing.T, p *page) {
	for _, b := range p.blocks {
		for _, o := range b.orders {
			if needsReason[o.verb] {
				t.Logf("%s:%d: %s %s", p.name, b.line, o.verb, o.rest)
			}
		}
	}
}

// TestExcerpts compares excerpts from files with the files.
func TestExcerpts(t *testing.T) {
	for _, p := range pages(t) {
		if err := p.excerpts(root); err != nil {
			t.Error(err)
		}
	}
}

// excerpts returns errors for blocks that are not in the files that they name. A line "…" matches any lines.
func (p *page) excerpts(root string) error {
	var all []error
	for _, b := range p.blocks {
		name, ok := b.order("from")
		if !ok {
			continue
		}
		file, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			all = append(all, fmt.Errorf("%s:%d: %w", p.name, b.line, err))
			continue
		}
		rest := string(file)
		for _, part := range strings.Split(strings.Join(b.lines, "\n"), "\n…\n") {
			i := strings.Index(rest, part)
			if i < 0 {
				all = append(all, fmt.Errorf("%s:%d: %s does not contain\n%s", p.name, b.line, name, part))
				break
			}
			rest = rest[i+len(part):]
		}
	}
	return errors.Join(all...)
}
