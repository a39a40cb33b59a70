package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/browsertest"
)

// written is a folder with the pages, except for the examples.
func written(t *testing.T) (*site, string) {
	t.Helper()
	s, err := read("../..")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if err := s.write(out); err != nil {
		t.Fatal(err)
	}
	return s, out
}

var (
	reference = regexp.MustCompile(`(?:href|src)="([^"]+)"`)
	name      = regexp.MustCompile(` id="([^"]+)"`)
)

// TestLinks checks each link of each page.
func TestLinks(t *testing.T) {
	s, out := written(t)
	text := map[string]string{}
	for _, p := range s.pages {
		b, err := os.ReadFile(filepath.Join(out, p.File))
		if err != nil {
			t.Fatal(err)
		}
		text[p.File] = string(b)
	}
	for _, e := range examples { // the verb's own tests check these pages
		text[e.File] = "a page"
		if _, err := os.Stat(filepath.Join("../..", e.args[0])); err != nil {
			t.Error(err)
		}
	}
	local := 0
	for file, b := range text {
		for _, m := range reference.FindAllStringSubmatch(b, -1) {
			to, anchor, marked := strings.Cut(m[1], "#")
			if strings.Contains(m[1], ":") {
				if strings.HasPrefix(m[1], repository) {
					_, path, _ := strings.Cut(to, "/main/")
					if _, err := os.Stat(filepath.Join("../..", path)); err != nil {
						t.Errorf("%s: %v", file, err)
					}
				}
				continue
			}
			local++
			if to == "" {
				to = file
			}
			if _, err := os.Stat(filepath.Join(out, to)); text[to] == "" && err != nil {
				t.Errorf("%s: %v", file, err)
			}
			if marked && !strings.Contains(text[to], ` id="`+anchor+`"`) {
				t.Errorf("%s: %s has no heading %q", file, to, anchor)
			}
		}
		seen := map[string]bool{}
		for _, m := range name.FindAllStringSubmatch(b, -1) {
			if seen[m[1]] {
				t.Errorf("%s: two elements are called %q", file, m[1])
			}
			seen[m[1]] = true
		}
	}
	if local < 500 {
		t.Errorf("%d links between pages, want more", local)
	}
}

// TestTitles tests that each page has a title, and no comments for tests.
func TestTitles(t *testing.T) {
	s, _ := written(t)
	for _, p := range s.pages {
		if p.Title == "" || strings.Contains(string(p.Body), "<!--") {
			t.Errorf("%s: its title is %q, or it shows a line for tests", p.source, p.Title)
		}
	}
}

// TestBrowser checks pages on a wide and a narrow screen, in light and dark, and opens the menu.
func TestBrowser(t *testing.T) {
	_, out := written(t)
	server := httptest.NewServer(http.FileServer(http.Dir(out)))
	defer server.Close()
	for _, width := range []int64{1200, 360} {
		for _, file := range []string{"", "ops.html"} {
			tab := browsertest.Open(t, server.URL+"/"+file, width, 800)
			if n := browsertest.Eval[int64](tab, "document.documentElement.scrollWidth"); n > width {
				t.Errorf("%s is %d pixels wide on a screen of %d", file, n, width)
			}
			light := browsertest.Eval[string](tab, "getComputedStyle(document.body).backgroundColor")
			tab.Dark()
			if dark := browsertest.Eval[string](tab, "getComputedStyle(document.body).backgroundColor"); dark == light {
				t.Errorf("%s is %s in light and in dark", file, dark)
			}
			if width == 360 {
				tab.Do(browsertest.Press("#menu"))
				tab.Until("document.getElementById('pages').offsetHeight > 0")
			}
			asked := []string{server.URL + "/" + file, server.URL + "/site.css", server.URL + "/site.js"}
			if file == "" {
				asked = append(asked, server.URL+"/picture.svg")
			}
			tab.Quiet(asked...)
			tab.Picture()
		}
	}
}

// sample is a document with some of everything, so that pictures of its page change with the layout alone.
const sample = `# A page

The first paragraph has *emphasis*, ` + "`code`" + ` and [a link](README.md).

## A list

1. one
2. two

- a point, with **weight**
- another one

## A table

| operator | versions | gradient |
| --- | --- | --- |
| Relu | 6, 13, 14 | yes |
| NonZero | 9, 13 | no |

## Code

` + "```sh\nbbgen model.onnx -o peer   # a comment\ngo build ./peer && ./peer info --with-a-line-that-is-wider-than-a-small-screen\n```" + `

> A quotation.
`

// TestLooks compares a page with pictures of it.
func TestLooks(t *testing.T) {
	first := &page{source: "README.md", File: "index.html"}
	second := &page{source: "docs/other.md", File: "other.html"}
	s := &site{source: t.TempDir(), pages: map[string]*page{first.source: first, second.source: second}, images: map[string]bool{},
		menu: []section{{Pages: []*page{first}}, {Heading: "Guide", Pages: []*page{second}}}}
	for _, p := range s.pages {
		if err := s.render(p, []byte(sample)); err != nil {
			t.Fatal(err)
		}
	}
	out := t.TempDir()
	if err := s.write(out); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(out)))
	defer server.Close()
	tab := browsertest.Open(t, server.URL, 1200, 800)
	tab.Looks("wide")
	tab.Dark()
	tab.Looks("dark")
	browsertest.Open(t, server.URL, 360, 800).Looks("narrow")
}
