package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/bbgen/bbgen/runtime"
)

// statusClientGone is what is counted when nobody waits for the answer any more;
// 499 is nginx's number for it.
const statusClientGone = 499

// handler answers requests for one program.
type handler struct {
	p        runtime.Program
	opt      options
	bodies   *budget
	sessions *sessions
	metrics  *metrics
}

// newHandler makes the first session, so that a model that cannot be loaded
// fails before anybody calls.
func newHandler(p runtime.Program, opt options) (http.Handler, error) {
	if opt.pprof {
		p.New = labelled(p.New)
	}
	s, err := p.New()
	if err != nil {
		return nil, err
	}
	h := &handler{
		p: p, opt: opt,
		bodies:   newBudget(opt.maxBodies),
		sessions: &sessions{make: p.New, left: opt.concurrency, free: []runtime.Session{s}},
		metrics:  newMetrics(p),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /run", h.run)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { write(w, 200, mimeText, []byte("ok\n")) })
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) { write(w, 200, mimeMetrics, h.metrics.text()) })
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { write(w, 200, mimeText, help(p, r.Host)) })
	if opt.pprof {
		mux.HandleFunc("GET /debug/pprof/profile", profile)
	}
	return mux, nil
}

const (
	mimeText    = "text/plain; charset=utf-8"
	mimeMetrics = "text/plain; version=0.0.4; charset=utf-8"
)

func write(w http.ResponseWriter, code int, mime string, body []byte) {
	w.Header().Set("Content-Type", mime)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	w.Write(body)
}

// failure is an error with the status that it is answered with. Errors without
// one are the server's own.
type failure struct {
	code int
	error
}

func failf(code int, format string, args ...any) error {
	return failure{code, fmt.Errorf(format, args...)}
}

func codeOf(err error) int {
	if f, ok := errors.AsType[failure](err); ok {
		return f.code
	}
	return http.StatusInternalServerError
}

var errBusy = failf(http.StatusServiceUnavailable, "all sessions are busy: try again, or start the server with a higher -concurrency")

// errFull is the answer when bodies take all the memory that they may.
var errFull = failf(http.StatusServiceUnavailable, "requests under way take all memory there is for them: try again, or start the server with a higher -max-bodies")

// run answers a request and counts it.
func (h *handler) run(w http.ResponseWriter, r *http.Request) {
	done := h.metrics.begin()
	code := http.StatusOK
	defer func() { done(code) }()
	in := &body{budget: h.bodies}
	defer in.release()
	answer, mime, err := h.answer(in, w, r)
	due := h.opt.timeout + time.Duration(len(answer))*time.Second/minRate
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(due)) // a recorder of tests has none
	if err != nil {
		code = codeOf(err)
		refuse(w, err)
		return
	}
	h.bodies.force(len(answer))
	defer h.bodies.put(len(answer))
	write(w, code, mime, answer)
}

// refuse answers with an error:
//
//	{"error":"input \"x\" is missing, want float32[batch,784]"}
func refuse(w http.ResponseWriter, err error) {
	code := codeOf(err)
	switch code {
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	case http.StatusRequestEntityTooLarge, http.StatusRequestTimeout:
		w.Header().Set("Connection", "close") // what is left of the body is not read
	}
	body, _ := json.Marshal(map[string]string{"error": err.Error()}) // strings cannot fail
	write(w, code, mimeJSON, append(body, '\n'))
}

// answer returns the body of the answer and its type.
func (h *handler) answer(request *body, w http.ResponseWriter, r *http.Request) (answer []byte, mime string, err error) {
	in, out, err := negotiate(h.p, r.Header)
	if err != nil {
		return nil, "", err
	}
	if err := h.read(request, w, r); err != nil {
		return nil, "", err
	}
	answer, err = h.compute(r.Context(), request.data, in, out)
	return answer, out.mime, err
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}
