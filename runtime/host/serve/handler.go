package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/bbgen/bbgen/runtime/host/httpguard"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// statusClientGone is counted for a client that has disconnected; 499 is nginx's number for that.
const statusClientGone = 499

// handler answers requests for one program.
type handler struct {
	p        model.Program
	opt      options
	bodies   *budget
	queue    *queue
	computer computer
	metrics  *metrics
}

// newHandler makes the first session, so that a model that cannot be loaded fails before the first request.
func newHandler(p model.Program, opt options) (http.Handler, error) {
	if opt.pprof {
		p.New = labeled(p.New)
	}
	s, err := newSessions(p, opt.concurrency)
	if err != nil {
		return nil, err
	}
	h := &handler{
		p: p, opt: opt,
		bodies:   newBudget(opt.maxBodies),
		queue:    newQueue(opt.concurrency*max(opt.batch, 1) + opt.queue),
		computer: s,
		metrics:  newMetrics(p),
	}
	if opt.batch > 1 {
		if h.computer, err = newBatcher(s, opt, h.metrics); err != nil {
			return nil, err
		}
	}
	mux := http.NewServeMux()
	for _, r := range h.routes() {
		mux.HandleFunc(r.method+" "+r.path, r.answer)
	}
	if opt.pprof {
		mux.Handle("GET /debug/pprof/profile", httpguard.SameOrigin(http.HandlerFunc(profile)))
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

// writeJSON answers with v, which JSON can represent.
func writeJSON(w http.ResponseWriter, code int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		panic("BUG: serve: " + err.Error())
	}
	write(w, code, mimeJSON, append(body, '\n'))
}

// failure is an error with its status. Errors without one are internal.
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

var errBusy = failf(http.StatusServiceUnavailable, "all sessions are busy, and as many requests wait as may: try again, or start the server with a higher -concurrency or -queue")

// errFull is the answer when the memory for bodies is used up.
var errFull = failf(http.StatusServiceUnavailable, "requests under way take all memory there is for them: try again, or start the server with a higher -max-bodies")

// exchange is one request for a run, with functions that decode it and encode its answer.
type exchange struct {
	decode func(body []byte) ([]tensor.Value, error)
	encode func(outputs []tensor.Value) ([]byte, error)
	header http.Header // of the answer; encode may add to it
}

// runs answers and counts requests for runs of the model. The function begin selects the encodings.
func (h *handler) runs(begin func(r *http.Request) (*exchange, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		done := h.metrics.begin()
		code := http.StatusOK
		defer func() { done(code) }()
		answer, header, err := h.answer(w, r, begin)
		due := h.opt.timeout + time.Duration(len(answer))*time.Second/minRate
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(due)) // the recorder of tests has no deadlines
		if err != nil {
			code = codeOf(err)
			refuse(w, err)
			return
		}
		h.bodies.force(len(answer))
		defer h.bodies.put(len(answer))
		maps.Copy(w.Header(), header)
		write(w, code, header.Get("Content-Type"), answer)
	}
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
		w.Header().Set("Connection", "close") // the rest of the body is not read
	}
	writeJSON(w, code, map[string]string{"error": err.Error()})
}

// answer returns the body of the answer and its header.
func (h *handler) answer(w http.ResponseWriter, r *http.Request, begin func(r *http.Request) (*exchange, error)) ([]byte, http.Header, error) {
	c, err := begin(r)
	if err != nil {
		return nil, nil, err
	}
	request := &body{budget: h.bodies}
	if err := h.read(request, w, r); err != nil {
		request.release()
		return nil, nil, err
	}
	answer, err := h.compute(r.Context(), request, c)
	return answer, c.header, err
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}
