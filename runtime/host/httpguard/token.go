package httpguard

import (
	"crypto/subtle"
	"net/http"
	"strings"
)

// Token makes h answer only requests with a token: in the query as token, as in the address for browsers, or as
// a bearer token, as programs send it.
func Token(h http.Handler, token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !bearer {
			given = r.URL.Query().Get("token")
		}
		if subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "requests need the token of this server: open the address that it has printed", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}
