package serve

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"runtime/debug"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// computer runs the model on inputs, and calls read to encode the outputs. It stops waiting for its turn when
// ctx ends.
type computer interface {
	compute(ctx context.Context, inputs []tensor.Value, read reader) ([]byte, error)
}

// compute returns the encoded outputs of a request, whose body it releases when it is not needed any more. It waits no longer
// than the timeout, and stops when the client has disconnected.
func (h *handler) compute(client context.Context, request *body, c *exchange) ([]byte, error) {
	if !h.queue.enter() {
		request.release()
		return nil, errBusy
	}
	ctx, cancel := context.WithTimeout(client, h.opt.timeout)
	type result struct {
		body []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		defer cancel()
		var r result
		r.body, r.err = h.computeOn(ctx, request.data, c)
		request.release()
		h.queue.leave() // so that a client with an answer finds a place
		done <- r
	}()
	late := func() error {
		if client.Err() != nil {
			return failf(statusClientGone, "the client is gone")
		}
		return failf(http.StatusGatewayTimeout, "the request has not finished after %v, its time in the queue included: start the server with a longer -timeout or a higher -concurrency", h.opt.timeout)
	}
	answer := func(r result) ([]byte, error) {
		if errors.Is(r.err, errNoTurn) || r.err != nil && client.Err() != nil { // it may have failed because of that
			r.err = late()
		}
		return r.body, r.err
	}
	// A kernel cannot be stopped: a run that takes too long keeps its session and its place until it ends.
	select {
	case r := <-done:
		return answer(r)
	case <-ctx.Done():
	}
	select {
	case r := <-done: // at the same time
		return answer(r)
	default:
	}
	return nil, late()
}

// computeOn decodes a request, computes, and encodes the outputs.
func (h *handler) computeOn(ctx context.Context, request []byte, c *exchange) (body []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicked(r)
		}
	}()
	inputs, err := c.decode(request)
	if err == nil {
		err = check(h.p.Inputs, inputs)
	}
	if err != nil {
		return nil, failure{http.StatusBadRequest, err}
	}
	return h.computer.compute(ctx, inputs, func(outputs []tensor.Value) ([]byte, error) {
		body, err := c.encode(outputs)
		if err != nil {
			return nil, failure{http.StatusNotAcceptable, err}
		}
		return body, nil
	})
}

// panicked returns the error of a request that caused a panic.
func panicked(r any) error {
	log.Printf("panic: %v\n%s", r, debug.Stack())
	return fmt.Errorf("the model failed: %v", r)
}
