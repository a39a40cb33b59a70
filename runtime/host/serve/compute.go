package serve

import (
	"context"
	"fmt"
	"log"
	"net/http"
	gort "runtime"
	"runtime/debug"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// compute lends a session to a request and returns the encoded outputs. It
// waits no longer than the timeout, and not at all when the client is gone.
func (h *handler) compute(client context.Context, request []byte, in, out *format) ([]byte, error) {
	s, ok, err := h.sessions.take()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errBusy
	}
	ctx, cancel := context.WithTimeout(client, h.opt.timeout)
	defer cancel()
	type result struct {
		body []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		r.body, r.err = h.computeOn(s, request, in, out)
		done <- r
	}()
	// Nothing stops a kernel: a run that takes too long keeps its session until
	// it is through.
	select {
	case r := <-done:
		return r.body, r.err
	case <-ctx.Done():
		if client.Err() != nil {
			return nil, failf(statusClientGone, "the client is gone")
		}
		return nil, failf(http.StatusGatewayTimeout, "the model has not finished after %v: start the server with a longer -timeout", h.opt.timeout)
	}
}

// computeOn runs a session and gives it back, or drops it when the model
// panics.
func (h *handler) computeOn(s runtime.Session, request []byte, in, out *format) (body []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			log.Printf("panic: %v\n%s", r, debug.Stack())
			body, err = nil, fmt.Errorf("the model failed: %v", r)
			s = nil
		}
		h.sessions.put(s)
	}()
	inputs, err := in.decode(request, h.p.Inputs)
	if err == nil {
		err = check(h.p.Inputs, inputs)
	}
	if err != nil {
		return nil, failure{http.StatusBadRequest, err}
	}
	for i, t := range inputs {
		if err := s.SetInput(i, t); err != nil {
			return nil, failf(http.StatusBadRequest, "input %q: %w", h.p.Inputs[i].Name, err)
		}
	}
	if err := s.Run(); err != nil {
		if is[gort.Error](err) {
			return nil, err // Go found a mistake of ours
		}
		return nil, failure{http.StatusBadRequest, err}
	}
	outputs := make([]tensor.Value, len(h.p.Outputs))
	for i := range outputs {
		outputs[i] = s.Output(i)
	}
	// Outputs are borrowed: they are written before the session is lent again.
	body, err = out.encode(h.p.Outputs, outputs)
	if err != nil {
		return nil, failure{http.StatusNotAcceptable, err}
	}
	return body, nil
}
