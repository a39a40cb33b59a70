package live

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html"
	"strings"
)

// Page is what a browser shows.
type Page struct {
	Title string // what is watched: server-0
	Of    string // what that is a part of: "the program federation"
	Parts []Part
}

// Part is a part of a page, which is replaced as a whole when it changes.
type Part struct {
	ID   string // a name without blanks; the charts in it have others
	HTML string
}

//go:embed live.html live.css live.js
var assets embed.FS

// asset is an embedded file without the line break at its end.
func asset(name string) string {
	b, err := assets.ReadFile(name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return strings.TrimSuffix(string(b), "\n")
}

// html is the whole page, which shows what there is without a script, too.
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

// policy allows the page its own script and style, images that are part of it, and to ask
// its own server for what changes.
var policy = fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	sum(asset("live.js")), sum(asset("live.css")))

// sum is a text's hash as policies have it.
func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(h[:])
}
