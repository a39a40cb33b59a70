package peer

import (
	"crypto/rand"
	"net"
	"strings"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/httpguard"
)

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
