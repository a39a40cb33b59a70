package httpguard

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestSameOrigin sends requests as browsers and programs do: those that a page of another origin has caused are refused, whether the
// browser is new or old.
func TestSameOrigin(t *testing.T) {
	h := SameOrigin(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "costly") }))
	type headers map[string]string
	for name, c := range map[string]struct {
		host string
		h    headers
		ok   bool
	}{
		"a program":                          {"localhost:80", headers{}, true},
		"the address bar":                    {"localhost:80", headers{"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"}, true},
		"a link of the page":                 {"localhost:80", headers{"Sec-Fetch-Site": "same-origin", "Referer": "http://localhost:80/"}, true},
		"an image of another page":           {"localhost:80", headers{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}, false},
		"an image without a referrer":        {"localhost:80", headers{"Sec-Fetch-Site": "cross-site"}, false},
		"a page at another port":             {"localhost:80", headers{"Sec-Fetch-Site": "same-site", "Referer": "http://localhost:8000/"}, false},
		"a word that is not known":           {"localhost:80", headers{"Sec-Fetch-Site": "anything"}, false},
		"a link of another page":             {"localhost:80", headers{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, false},
		"a claim of both":                    {"localhost:80", headers{"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:80"}, false},
		"old: a script of another page":      {"localhost:80", headers{"Origin": "http://evil.example"}, false},
		"old: a script of this page":         {"localhost:80", headers{"Origin": "http://localhost:80"}, true},
		"old: a hidden origin":               {"localhost:80", headers{"Origin": "null"}, false},
		"old: an image of another page":      {"localhost:80", headers{"Referer": "http://evil.example/a?b=localhost:80"}, false},
		"old: an image of this page":         {"localhost:80", headers{"Referer": "http://localhost:80/debug/pprof/"}, true},
		"old: another port":                  {"localhost:80", headers{"Referer": "http://localhost:8000/"}, false},
		"old: another name of the server":    {"localhost:80", headers{"Referer": "http://127.0.0.1:80/"}, false},
		"old: a user that looks like a host": {"localhost:80", headers{"Referer": "http://localhost:80@evil.example/"}, false},
		"old: no address":                    {"localhost:80", headers{"Referer": "http://local host:80/%zz"}, false},
		"old: no host":                       {"localhost:80", headers{"Referer": "/debug/pprof/"}, false},
		"old: the origin counts":             {"localhost:80", headers{"Origin": "http://evil.example", "Referer": "http://localhost:80/"}, false},
		"an address":                         {"[::1]:80", headers{"Origin": "http://[::1]:80"}, true},
	} {
		r := httptest.NewRequest("GET", "/debug/pprof/profile", nil)
		r.Host = c.host
		for k, v := range c.h {
			r.Header.Set(k, v)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if answered := w.Body.String() == "costly"; answered != c.ok || (w.Code == http.StatusForbidden) == c.ok {
			t.Errorf("%s: %d %s, want that it is answered: %v", name, w.Code, w.Body, c.ok)
		}
	}
}
