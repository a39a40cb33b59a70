package live

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html"
	"strings"
)

// A Page is what a browser shows.
type Page struct {
	Title string // the name of the watched object: server-0
	Of    string // the whole to which it belongs: "the program federation"
	Parts []Part
}

// A Part is a part of a page, which is replaced as a whole when it changes.
type Part struct {
	ID   string // a name without spaces, unique among those of charts
	HTML string
}

//go:embed live.html live.css live.js
var assets embed.FS

// asset returns an embedded file without its final line break.
func asset(name string) string {
	b, err := assets.ReadFile(name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return strings.TrimSuffix(string(b), "\n")
}

// html returns the whole page, which also works without the script.
func (p *Page) html() string {
	var parts strings.Builder
	for _, x := range p.Parts {
		fmt.Fprintf(&parts, "<section id=\"%s\">%s</section>\n", html.EscapeString(x.ID), x.HTML)
	}
	return strings.NewReplacer(
		"{{title}}", html.EscapeString(p.Title),
		"{{of}}", html.EscapeString(p.Of),
		"{{style}}", asset("live.css"),
		"{{script}}", asset("live.js"),
		"{{parts}}", parts.String(),
	).Replace(asset("live.html"))
}

// policy allows only the page's own script and style, inline images, and requests to its own server.
var policy = fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	sum(asset("live.js")), sum(asset("live.css")))

// sum returns a text's hash in the form of policies.
func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(h[:])
}
