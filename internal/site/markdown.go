package main

import (
	"bytes"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// repository is the target of links to files that are not pages.
const repository = "https://github.com/bbgen/bbgen/"

// Raw HTML is rendered, too: the sources are the project's own.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(html.WithUnsafe()),
)

// render makes the HTML of a page.
func (s *site) render(p *page, source []byte) error {
	source = comment.ReplaceAll(source, nil)
	context := parser.NewContext(parser.WithIDs(headings{}))
	tree := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(context))
	err := ast.Walk(tree, func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		if enter {
			s.visit(p, n, source)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, source, tree); err != nil {
		return err
	}
	p.Body = template.HTML(s.withImages(p, b.String()))
	return nil
}

// comment is a line for the tests of the documents.
var comment = regexp.MustCompile(`(?m)^<!--.*-->\n`)

// visit records headings, and converts links to sources to links to pages.
func (s *site) visit(p *page, n ast.Node, source []byte) {
	switch n := n.(type) {
	case *ast.Heading:
		id, _ := n.AttributeString("id")
		title := string(n.Lines().Value(source))
		switch n.Level {
		case 1:
			p.Title = plain(title)
		case 2:
			p.Parts = append(p.Parts, part{string(id.([]byte)), plain(title)})
		}
	case *ast.Link:
		n.Destination = []byte(s.link(p, string(n.Destination)))
	}
}

// plain returns the text of a heading without markup.
func plain(s string) string {
	return strings.NewReplacer("`", "", "*", "").Replace(strings.TrimSpace(s))
}

// link returns where a link of a page leads on the site.
func (s *site) link(p *page, to string) string {
	if strings.Contains(to, "://") || strings.HasPrefix(to, "#") {
		return to
	}
	file, anchor, marked := strings.Cut(to, "#")
	source := path.Join(path.Dir(p.source), file)
	target := repository + "blob/main/" + source
	if info, err := os.Stat(filepath.Join(s.source, source)); err == nil && info.IsDir() {
		target = repository + "tree/main/" + source
	}
	if q := s.pages[source]; q != nil {
		target = q.File
	} else if q := s.pages[path.Join(source, "README.md")]; q != nil {
		target = q.File
	}
	if marked {
		target += "#" + anchor
	}
	return target
}

var imageTag = regexp.MustCompile(`(<img [^>]*src=")([^"]+)`)

// withImages has tags of pictures show those that the site has beside its pages.
func (s *site) withImages(p *page, body string) string {
	return imageTag.ReplaceAllStringFunc(body, func(tag string) string {
		m := imageTag.FindStringSubmatch(tag)
		if strings.Contains(m[2], "://") {
			return tag
		}
		s.images[path.Join(path.Dir(p.source), m[2])] = true
		return m[1] + path.Base(m[2])
	})
}

// headings names headings as the documents' links do. A second one of a name gets a number.
type headings map[string]int

var noLetter = regexp.MustCompile(`[^\p{L}\p{N}\- ]`)

// Generate returns the name of a heading.
func (h headings) Generate(value []byte, _ ast.NodeKind) []byte {
	s := strings.ToLower(strings.TrimSpace(string(value)))
	s = strings.ReplaceAll(noLetter.ReplaceAllString(s, ""), " ", "-")
	n := h[s]
	if h[s]++; n > 0 {
		s = fmt.Sprintf("%s-%d", s, n)
	}
	return []byte(s)
}

// Put is told of names that are given by hand, of which there are none.
func (headings) Put([]byte) {}
