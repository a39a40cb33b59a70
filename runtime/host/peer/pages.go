package peer

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/bbgen/bbgen/runtime/host/httpguard"
	"github.com/bbgen/bbgen/runtime/host/live"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
)

// idlePages is how long a browser may keep a connection without sending a request.
const idlePages = time.Minute

// openPages serves the pages of -http.
func (h *host) openPages(io.Writer) error {
	if h.options.HTTP == "" {
		return nil
	}
	l, err := net.Listen("tcp", live.Address(h.options.HTTP))
	if err != nil {
		return fmt.Errorf("-http: %w", err)
	}
	h.history = &status.History{}
	local := httpguard.IsLocal(l)
	h.pageToken = h.tokenOf(l)
	h.pages = &http.Server{Addr: l.Addr().String(), Handler: status.NewHandler(h.budget.pages, local, h.pageToken, h.askReport), ReadHeaderTimeout: h.times.hello, MaxHeaderBytes: 16 << 10, IdleTimeout: idlePages}
	guarded := httpguard.Guard(h.pages, l, max(h.budget.pages, 1))
	h.log.Info("pages", "url", h.pagesURL(), "pprof", local)
	go h.pages.Serve(guarded)
	return nil
}

// pagesURL returns the address to open in a browser.
func (h *host) pagesURL() string { return status.WithToken("http://"+h.pages.Addr+"/", h.pageToken) }

// askReport asks the loop for a report; nil if the loop has ended or the context is done.
func (h *host) askReport(ctx context.Context) *status.Report {
	answer := make(chan *status.Report, 1)
	h.post(func() { answer <- h.report() })
	select {
	case r := <-answer:
		return r
	case <-h.ctx.Done():
	case <-ctx.Done():
	}
	return nil
}
