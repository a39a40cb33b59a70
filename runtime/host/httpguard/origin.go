package httpguard

import (
	"net/http"
	"net/url"
)

// SameOrigin makes h answer only requests that no page of another origin has caused: such a page cannot read the answer, but an image
// or a frame of it is enough to make a browser on this machine send the request, which may be costly. Browsers say where a request is
// from, in Sec-Fetch-Site or, if they are old, in Origin or Referer; programs say nothing.
func SameOrigin(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isSameOrigin(r) {
			http.Error(w, "this page answers no requests from pages of other origins: open its address, or use a program", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// isSameOrigin reports whether a request is a program's, the user's, or that of a page of this server.
func isSameOrigin(r *http.Request) bool {
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "same-origin", "none": // "none": the user has entered the address
		return true
	case "":
	default:
		return false
	}
	for _, name := range []string{"Origin", "Referer"} {
		if from := r.Header.Get(name); from != "" {
			u, err := url.Parse(from)
			return err == nil && u.Host == r.Host // an origin that is hidden is "null"
		}
	}
	return true
}
