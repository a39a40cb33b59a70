package hosttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime/collective"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// invited returns an invitation for a peer of a class from the peer with a state directory.
func invited(t *testing.T, p peer.Program, state, class string, args ...string) string {
	t.Helper()
	var out, errs strings.Builder
	if code := peer.Do(t.Context(), p, append([]string{"invite", "-state", state, "-class", class}, args...), &out, &errs); code != 0 {
		t.Fatal(errs.String())
	}
	return strings.TrimSpace(out.String())
}

// end stops a peer and waits until it has ended.
func (n *node) end() {
	n.stop()
	n.ended <- <-n.ended
}

// meets waits until a peer is connected to another one.
func (n *node) meets(other string) {
	n.t.Helper()
	n.await(other+" is up", func(l peer.Line) bool { return l.Kind == "peer up" && l.From == other })
}

// Two peers with the same issuer connect to each other, and connect again when the issuer is gone. Their state
// directories hold what they need for that.
func testMeet(t *testing.T, k *kit) {
	state := t.TempDir()
	reducer := func() peer.Program {
		return k.program(handmade.Reducer(0, 1, collective.Direct, collective.Fail), nil)
	}
	issuer := start(t, reducer(), "-state", state, "-listen", k.listen)
	issuer.addresses()
	own, at := []string{t.TempDir(), t.TempDir()}, []string{"", ""}
	joined := make([]*node, 2)
	for i, dir := range own {
		joined[i] = start(t, reducer(), "-join", invited(t, reducer(), state, "reducer"), "-state", dir, "-listen", k.listen)
		at[i], _, _ = strings.Cut(string(joined[i].addresses()[0]), "/p2p/")
	}
	joined[0].meets("reducer-2")
	joined[1].meets("reducer-1")
	for _, n := range append(joined, issuer) {
		n.end()
	}
	for i, dir := range own {
		joined[i] = start(t, reducer(), "-state", dir, "-listen", at[i])
	}
	joined[0].meets("reducer-2")
	joined[1].meets("reducer-1")
}

// Peers that do not send to each other are not introduced.
func testMeetNobody(t *testing.T, k *kit) {
	state, own := t.TempDir(), t.TempDir()
	s := start(t, k.server(2, 2, []float64{8, -3}), "-state", state, "-listen", k.listen, "-await", "client=2")
	s.addresses()
	start(t, k.client(0), "-join", invited(t, k.client(0), state, "client"), "-state", own, "-listen", k.listen)
	start(t, k.client(1), "-join", invited(t, k.client(1), state, "client"), "-state", t.TempDir(), "-listen", k.listen)
	s.await("the second round", func(l peer.Line) bool { return l.Kind == "emitted" && l.Round == 2 })
	b, err := os.ReadFile(filepath.Join(own, "peers.json"))
	if err != nil || strings.Count(string(b), `"id"`) != 1 {
		t.Errorf("a client knows others than the server: %s, %v", b, err)
	}
}
