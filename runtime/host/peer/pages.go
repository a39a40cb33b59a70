package peer

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
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
	h.pages = h.pageServer(l.Addr(), local)
	guarded := httpguard.Guard(h.pages, l, max(h.budget.pages, 1))
	h.log.Info("pages", "url", h.pagesURL(), "pprof", local)
	go h.pages.Serve(guarded)
	return nil
}

// pageServer returns the server of the pages. A client that sends no whole request, or does not read its answer, loses its
// connection, of which there are few. Streams and profiles, which take longer, set their own time limits.
func (h *host) pageServer(at net.Addr, local bool) *http.Server {
	return &http.Server{Addr: at.String(), Handler: status.NewHandler(h.budget.pages, local, h.pageToken, h.askReport),
		ReadHeaderTimeout: h.Times.Hello, WriteTimeout: h.Times.Stall, MaxHeaderBytes: 16 << 10, IdleTimeout: idlePages}
}

// askReport asks the loop for a report; nil if the loop has ended or the context is done.
func (h *host) askReport(ctx context.Context) *status.Report {
	answer := make(chan *status.Report, 1)
	h.Post(func() { answer <- h.report() })
	select {
	case r := <-answer:
		return r
	case <-h.Ctx.Done():
	case <-ctx.Done():
	}
	return nil
}

// pageTokenFile is the file of a state directory with the token of the pages.
const pageTokenFile = "http.token"

// tokenOf returns the token that pages at a listener require: none on loopback. A peer with a state directory
// keeps its token, so that a bookmarked address remains valid.
func (h *host) tokenOf(l net.Listener) string {
	if httpguard.IsLocal(l) {
		return ""
	}
	fresh := rand.Text()
	if h.state == nil {
		return fresh
	}
	b, err := h.disk.ReadFile(h.state.Path(pageTokenFile))
	if kept := strings.TrimSpace(string(b)); err == nil && len(kept) >= len(fresh) {
		return kept
	}
	if err := disk.Write(h.disk, h.state.Path(pageTokenFile), 0o600, []byte(fresh+"\n")); err != nil {
		h.log.Warn("the next start has another token for its pages", "err", err)
	}
	return fresh
}
