package httpguard

import (
	"crypto/subtle"
	"net/http"
	"strings"
)

// Token has h answer only requests that have a token: in the query as token, as the address has it that a person opens, or
// as a bearer's, as programs send it.
func Token(h http.Handler, token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !bearer {
			given = r.URL.Query().Get("token")
		}
		if subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "this server answers who has its token: open the address that it has printed", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}
