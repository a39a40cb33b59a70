package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// sources are the pages in the order of the menu, and the headings that they stand under.
var sources = []struct {
	heading string
	files   []string
}{
	{"", []string{"README.md"}},
	{"Guide", []string{"docs/models.md", "docs/training.md", "docs/programs.md", "docs/peers.md", "docs/deploy.md", "docs/ci.md", "docs/remote.md", "docs/security.md", "docs/upgrading.md"}},
	{"Background", []string{"docs/how-it-works.md", "docs/glossary.md", "docs/faq.md", "examples/README.md"}},
	{"Reference", []string{"OPS.md", "BENCH.md", "docs/findings.md", "ARCHITECTURE.md", "CONTRIBUTING.md"}},
}

// site is all pages.
type site struct {
	source string // the folder of the sources
	menu   []section
	pages  map[string]*page // by source
	images map[string]bool  // that pages show, by source
}

// section is a part of the menu.
type section struct {
	Heading string
	Pages   []*page
}

// page is one of the pages.
type page struct {
	source string // as in docs/models.md
	File   string // as in models.html
	Title  string
	Body   template.HTML
	Parts  []part // of the second level
}

// part is a heading in a page.
type part struct{ ID, Title string }

// read reads all sources.
func read(source string) (*site, error) {
	s := &site{source: source, pages: map[string]*page{}, images: map[string]bool{}}
	for _, x := range sources {
		menu := section{Heading: x.heading}
		for _, f := range x.files {
			p := &page{source: f, File: fileOf(f)}
			s.pages[f] = p
			menu.Pages = append(menu.Pages, p)
		}
		s.menu = append(s.menu, menu)
	}
	for _, p := range s.pages {
		b, err := os.ReadFile(filepath.Join(source, p.source))
		if err != nil {
			return nil, err
		}
		if err := s.render(p, b); err != nil {
			return nil, fmt.Errorf("%s: %w", p.source, err)
		}
	}
	return s, nil
}

// fileOf names a page: that of the project is the first.
func fileOf(source string) string {
	switch source {
	case "README.md":
		return "index.html"
	case "examples/README.md":
		return "examples.html"
	}
	return strings.ToLower(strings.TrimSuffix(path.Base(source), ".md")) + ".html"
}

//go:embed layout.html
var layoutText string

//go:embed site.css site.js
var assets embed.FS

var layout = template.Must(template.New("layout").Parse(layoutText))

// write writes all pages, and what they need.
func (s *site) write(out string) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	for _, p := range s.pages {
		var b bytes.Buffer
		if err := layout.Execute(&b, map[string]any{"Page": p, "Menu": s.menu, "Examples": examples}); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, p.File), b.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return s.copyFiles(out)
}

// copyFiles copies pictures, the style and the script.
func (s *site) copyFiles(out string) error {
	for image := range s.images {
		if err := copyFile(os.DirFS(s.source), image, out); err != nil {
			return err
		}
	}
	return errors.Join(copyFile(assets, "site.css", out), copyFile(assets, "site.js", out))
}

// copyFile copies a file into a folder.
func copyFile(from fs.FS, name, out string) error {
	b, err := fs.ReadFile(from, name)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, path.Base(name)), b, 0o666)
}
