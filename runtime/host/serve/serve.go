// Package serve implements the command of a generated peer that answers HTTP requests.
//
//	POST /run           inputs to outputs, as JSON, TensorProto, .npy or .npz
//	GET  /healthz       whether the server is there
//	GET  /metrics       counters, as Prometheus reads them
//	GET  /openapi.json  all of this, as programs read it
//	GET  /              what the model wants, and an example
//	     /v2            the same model by KServe's protocol
//	GET  /debug/pprof/profile  with -pprof: a CPU profile
//
// It knows a model only by its tensors. There is no authentication and no encryption: use a proxy for these.
//
// handler.go and routes.go answer requests. sessions, queue, batch and compute run the model, budget and body
// limit what a client may cost. The encodings are in format (json, elements, lists and maps; npz; binary),
// kserve and infer have KServe's protocol, and help and openapi describe the model.
package serve

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/host/httpguard"
	"github.com/bbgen/bbgen/runtime/host/machine"
	"github.com/bbgen/bbgen/runtime/host/run"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Command is the command serve, for [run.Main].
var Command = run.Command{
	Name:  "serve",
	Short: "answer HTTP requests",
	Run:   serve,
}

// options are the flags.
type options struct {
	listen      string
	threads     int
	concurrency int
	queue       int           // maximum number of requests that wait for their turn
	batch       int           // maximum number of rows in one run; 0 and 1: requests are computed separately
	batchWait   time.Duration // how long a request waits for others to share its run
	maxRequest  size
	maxBodies   size
	connections int
	names       []string // of the server, in addition to those of loopback
	timeout     time.Duration
	pprof       bool
	maxPixels   int
}

// serve listens until the process is told to stop.
func serve(p model.Program, args []string, stdout io.Writer) error {
	opt, err := parse(p, args, stdout)
	if err != nil {
		return err
	}
	cpu.SetThreads(opt.threads)
	if p.MaxPixels != nil {
		p.MaxPixels(opt.maxPixels)
	}
	h, err := newHandler(p, opt)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", opt.listen)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // so that a second signal ends the process at once
	fmt.Fprintf(stdout, "listening on http://%s\n", l.Addr())
	return listen(ctx, l, h, opt)
}

// parse reads the flags and checks them.
func parse(p model.Program, args []string, stdout io.Writer) (options, error) {
	opt := options{maxRequest: 16 << 20}
	f := run.Flags("serve")
	opt.declare(f, p)
	if err := run.Parse(f, args, "serve -listen 127.0.0.1:8080 -concurrency 4", stdout); err != nil {
		return opt, err
	}
	if err := opt.check(); err != nil {
		return opt, err
	}
	m := machine.Read()
	opt.fit(&m)
	tensor.SetLimit(m.Memory)
	return opt, nil
}

// declare declares the flags of the options.
func (opt *options) declare(f *flag.FlagSet, p model.Program) {
	f.StringVar(&opt.listen, "listen", "127.0.0.1:8080", "`address` to listen on; port 0 takes any that is free")
	f.IntVar(&opt.threads, "threads", 0, "threads to use; 0 is one for each whole processor that the machine gives")
	f.IntVar(&opt.concurrency, "concurrency", 0, "how many requests are computed at the same time, more wait; 0 is as many as there are whole processors")
	f.IntVar(&opt.queue, "queue", 128, "how many requests may wait to be computed, more are refused")
	f.IntVar(&opt.batch, "batch", 1, "compute requests that come at the same time together, up to so many `rows`; for models whose rows do not depend on each other")
	f.DurationVar(&opt.batchWait, "batch-wait", 2*time.Millisecond, "with -batch: how long a request waits for others at most")
	f.Var(&opt.maxRequest, "max-request", "largest `size` of a request's body")
	f.Var(&opt.maxBodies, "max-bodies", "`size` of all requests and answers under way, more are refused; without it an eighth of the memory of the machine or its container, or of GOMEMLIMIT; 256MiB if these are unknown")
	f.IntVar(&opt.connections, "connections", 256, "how many connections there may be; a new one takes the place of the one that has waited longest")
	f.Func("names", "`names` of this server that requests may ask for, with commas, beside localhost; of a server on loopback alone", func(s string) error {
		opt.names = strings.Split(strings.ToLower(s), ",")
		return nil
	})
	f.DurationVar(&opt.timeout, "timeout", 30*time.Second, "how long computing may take; reading and writing may take as long, and longer for what comes and goes at 16KiB a second or more")
	if p.MaxPixels != nil {
		f.IntVar(&opt.maxPixels, "max-pixels", 0, "most pixels that an image may have; 0 is 64Mi")
	}
	f.BoolVar(&opt.pprof, "pprof", false, "serve /debug/pprof/profile, CPU profiles whose samples have a label node, to every client of the server")
}

// check returns an error for options that are out of range.
func (opt *options) check() error {
	switch {
	case opt.concurrency < 0:
		return run.Usagef("-concurrency is %d, want none below 0", opt.concurrency)
	case opt.queue < 0:
		return run.Usagef("-queue is %d, want none below 0", opt.queue)
	case opt.batch < 1:
		return run.Usagef("-batch is %d, want 1 or more", opt.batch)
	case opt.batchWait < 0:
		return run.Usagef("-batch-wait is %v, want none below 0", opt.batchWait)
	case opt.timeout <= 0:
		return run.Usagef("-timeout is %v, want more than 0", opt.timeout)
	case opt.connections < 1:
		return run.Usagef("-connections is %d, want 1 or more", opt.connections)
	case opt.maxPixels < 0:
		return run.Usagef("-max-pixels is %d, want none below 0", opt.maxPixels)
	case opt.maxBodies != 0 && opt.maxBodies <= opt.maxRequest:
		return run.Usagef("-max-bodies is %v, want more than -max-request, %v", &opt.maxBodies, &opt.maxRequest)
	}
	return nil
}

// fit sets options without a value according to the machine.
func (opt *options) fit(m *machine.Machine) {
	if opt.threads == 0 {
		opt.threads = m.Threads()
	}
	if opt.concurrency == 0 {
		opt.concurrency = m.Threads()
	}
	if opt.maxBodies == 0 {
		opt.maxBodies = defaultBudget(m, opt.maxRequest)
	}
}

// listen answers requests on l until ctx ends; then it accepts no more requests, finishes the present ones, and
// returns. A client that sends or reads too slowly is disconnected.
func listen(ctx context.Context, l net.Listener, h http.Handler, opt options) error {
	timeout := opt.timeout
	if httpguard.IsLocal(l) {
		h = httpguard.Names(h, opt.names...)
	}
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: min(timeout, 10*time.Second),
		ReadTimeout:       timeout, // except for /run, which sets its own deadlines
		WriteTimeout:      timeout, // likewise
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	l = httpguard.Guard(s, l, opt.connections)
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.Background(), 4*timeout)
	defer cancel()
	if err := s.Shutdown(last); err != nil {
		s.Close()
		return fmt.Errorf("requests were still open %v after the signal to stop: %w", 4*timeout, err)
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
