package status

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestProfilesOfOtherPages: a page of another origin cannot start a profile, with an image or a frame; a program and the user can. The
// cheap pages may be linked from anywhere.
func TestProfilesOfOtherPages(t *testing.T) {
	h := NewHandler(8, true, "", func(context.Context) *Report { return sample() })
	gone, cancel := context.WithCancel(t.Context()) // a profile ends with its client
	cancel()
	for path, costly := range map[string]bool{
		"/debug/pprof/cmdline": true, "/debug/pprof/": true, "/debug/pprof/heap?gc=1": true, "/debug/pprof/symbol": true,
		"/debug/pprof/profile?seconds=30": true, "/debug/pprof/trace?seconds=30": true, "/debug/pprof/goroutine?seconds=30": true,
		"/": false, "/status": false, "/healthz": false, "/metrics": false,
	} {
		for site, own := range map[string]bool{"cross-site": false, "same-site": false, "none": true, "same-origin": true, "": true} {
			if own && path != "/debug/pprof/cmdline" && costly { // these take long
				continue
			}
			r := httptest.NewRequestWithContext(gone, "GET", "http://localhost"+path, nil)
			if site != "" {
				r.Header.Set("Sec-Fetch-Site", site)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			want := http.StatusOK
			if costly && !own {
				want = http.StatusForbidden
			}
			if w.Code != want {
				t.Errorf("%s from %q: got %d, want %d", path, site, w.Code, want)
			}
		}
	}
}
