package serve

import (
	"bytes"
	"net/http"
	"runtime/pprof"
	"strconv"
	"time"

	hostpprof "github.com/bbgen/bbgen/runtime/host/pprof"
	"github.com/bbgen/bbgen/runtime/model"
)

// maxSeconds is the maximum duration of a profile.
const maxSeconds = 120

// profile answers /debug/pprof/profile?seconds=10 with a CPU profile, for "go tool pprof".
func profile(w http.ResponseWriter, r *http.Request) {
	seconds := 30
	if s := r.FormValue("seconds"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > maxSeconds {
			http.Error(w, "seconds is "+strconv.Quote(s)+", want 1 to "+strconv.Itoa(maxSeconds), http.StatusBadRequest)
			return
		}
		seconds = n
	}
	length := time.Duration(seconds) * time.Second
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(length + 30*time.Second))
	var b bytes.Buffer
	if err := pprof.StartCPUProfile(&b); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	select {
	case <-time.After(length):
	case <-r.Context().Done():
	}
	pprof.StopCPUProfile()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Write(b.Bytes())
}

// labeled makes sessions that label the samples of a CPU profile with their nodes.
func labeled(make func() (model.Session, error)) func() (model.Session, error) {
	return func() (model.Session, error) {
		s, err := make()
		if err != nil {
			return nil, err
		}
		return hostpprof.Labeled(s)
	}
}
