package docs

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLinks follows the links of all documents to files and headings.
func TestLinks(t *testing.T) {
	for _, p := range pages(t) {
		if err := p.links(root); err != nil {
			t.Error(err)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)|<img [^>]*src="([^"]+)"`)

// links returns the broken relative links of a page.
func (p *page) links(root string) error {
	var all []error
	for _, l := range p.prose {
		for _, m := range link.FindAllStringSubmatch(l.text, -1) {
			target := m[1] + m[2]
			if strings.Contains(target, "://") {
				continue
			}
			if err := follow(root, p.name, target); err != nil {
				all = append(all, fmt.Errorf("%s:%d: link to %s: %w", p.name, l.number, target, err))
			}
		}
	}
	return errors.Join(all...)
}

// follow checks that a file exists, and a heading in it.
func follow(root, from, target string) error {
	file, anchor, _ := strings.Cut(target, "#")
	name := from
	if file != "" {
		name = path.Join(path.Dir(from), file)
	}
	b, err := os.ReadFile(filepath.Join(root, name))
	if info, e := os.Stat(filepath.Join(root, name)); e == nil && info.IsDir() {
		err = nil
	}
	if err != nil || anchor == "" {
		return err
	}
	for s := range strings.Lines(string(b)) {
		if strings.HasPrefix(s, "#") && headingID(s) == anchor {
			return nil
		}
	}
	return fmt.Errorf("there is no such heading")
}

var noLetter = regexp.MustCompile(`[^\p{L}\p{N}\- ]`)

// headingID returns the id of a heading in links.
func headingID(s string) string {
	s = strings.ToLower(strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(s), "#")))
	return strings.ReplaceAll(noLetter.ReplaceAllString(s, ""), " ", "-")
}

// TestReadme tests that README.md stays one page with one picture: more belongs in a page of docs.
func TestReadme(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(b), "<img "); n != 1 {
		t.Errorf("it has %d pictures, want 1", n)
	}
	if n := strings.Count(string(b), "\n"); n > 120 {
		t.Errorf("it has %d lines, want 120 at most", n)
	}
}
