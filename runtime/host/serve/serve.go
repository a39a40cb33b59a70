// Package serve is the verb of a generated peer that answers HTTP requests.
//
//	POST /run      inputs to outputs, as JSON, TensorProto or .npy
//	GET  /healthz  whether the server is there
//	GET  /metrics  counters, as Prometheus reads them
//	GET  /         what the model wants, and an example
//	GET  /debug/pprof/profile  with -pprof: a CPU profile
//
// It knows a model by its tensors alone. There is no authentication and no
// encryption: who wants them puts a proxy in front.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	gort "runtime"
	"syscall"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/host/run"
)

// Command is the verb, to be given to [run.Main].
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
	maxRequest  size
	timeout     time.Duration
	pprof       bool
}

// serve listens until the process is told to stop.
func serve(p runtime.Program, args []string, stdout io.Writer) error {
	opt, err := parse(args, stdout)
	if err != nil {
		return err
	}
	cpu.SetThreads(opt.threads)
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
	return listen(ctx, l, h, opt.timeout)
}

// parse reads the flags and checks them.
func parse(args []string, stdout io.Writer) (options, error) {
	opt := options{maxRequest: 16 << 20}
	f := run.Flags("serve")
	f.StringVar(&opt.listen, "listen", "127.0.0.1:8080", "`address` to listen on; port 0 takes any that is free")
	f.IntVar(&opt.threads, "threads", 0, "threads to use; 0 is all")
	f.IntVar(&opt.concurrency, "concurrency", 0, "how many requests are computed at the same time, more are refused; 0 is as many as there are processors")
	f.Var(&opt.maxRequest, "max-request", "largest `size` of a request's body")
	f.DurationVar(&opt.timeout, "timeout", 30*time.Second, "how long reading a request, computing and writing the answer may take, each")
	f.BoolVar(&opt.pprof, "pprof", false, "serve /debug/pprof/profile, CPU profiles whose samples have a label node, to everybody who can reach the server")
	if err := run.Parse(f, args, "serve -listen 127.0.0.1:8080 -concurrency 4", stdout); err != nil {
		return opt, err
	}
	switch {
	case opt.concurrency < 0:
		return opt, run.Usagef("-concurrency is %d, want none below 0", opt.concurrency)
	case opt.timeout <= 0:
		return opt, run.Usagef("-timeout is %v, want more than 0", opt.timeout)
	case opt.concurrency == 0:
		opt.concurrency = gort.GOMAXPROCS(0)
	}
	return opt, nil
}

// listen answers on l until ctx ends; then it takes no more requests, finishes
// those that it has, and returns. A client that sends or reads slowly is cut off
// after a while.
func listen(ctx context.Context, l net.Listener, h http.Handler, timeout time.Duration) error {
	s := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: min(timeout, 10*time.Second),
		ReadTimeout:       timeout,
		WriteTimeout:      3 * timeout, // counts from the header: read, compute, write
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
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
