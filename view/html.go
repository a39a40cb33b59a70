package view

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"strings"
)

//go:embed assets/page.html assets/view.css assets/view.js
var assets embed.FS

// asset returns an embedded file without its final newline.
func asset(name string) string {
	b, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return strings.TrimSuffix(string(b), "\n")
}

// HTML returns the page as one file without external resources.
func (p *Page) HTML() ([]byte, error) {
	data, err := json.Marshal(p) // NB: it escapes <, > and &, so that the data cannot end an element
	if err != nil {
		return nil, fmt.Errorf("the data of the page: %w", err)
	}
	var titles []string
	for _, s := range p.Subjects {
		titles = append(titles, s.Title)
	}
	return []byte(strings.NewReplacer(
		"{{policy}}", policy(),
		"{{title}}", html.EscapeString(strings.Join(titles, " and ")),
		"{{style}}", asset("view.css"),
		"{{script}}", asset("view.js"),
		"{{data}}", string(data),
	).Replace(asset("page.html"))), nil
}

// policy allows the page's own script, style and worker, and no requests.
func policy() string {
	return fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; worker-src blob:; img-src data:; base-uri 'none'; form-action 'none'",
		sum(asset("view.js")), sum(asset("view.css")))
}

// sum returns the hash of a text for the policy.
func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(h[:])
}
