package edgeid

import "testing"

// TestGolden compares ids of edges and types with constants, as they must never change.
func TestGolden(t *testing.T) {
	// python3 -c 'import hashlib; print(hashlib.sha256(b"…").hexdigest()[:16])'
	if got := Type("client.updated_params>server:float32[?,10]").String(); got != "0a725427e8b66879" {
		t.Errorf("type: got %s", got)
	}
	text := Text("client", "updated_params", "server", "float32[?,10]")
	if got := Edge(text).String(); got != "3c6a2d524dc9511d" {
		t.Errorf("edge: got %s", got)
	}
}
