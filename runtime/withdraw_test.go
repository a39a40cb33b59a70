package runtime

import "testing"

// No message is withdrawn if peers would learn of an execution in another way.
func TestMayWithdraw(t *testing.T) {
	for _, tt := range []struct {
		name  string
		class string
		edges []Edge
		want  bool
	}{
		{"a server and its clients", "s", []Edge{{From: "s"}, {From: "c", Receives: true}}, true},
		{"clients answer all servers", "s", []Edge{{From: "s"}, {From: "c", Origins: []string{"s"}, Receives: true}}, true},
		{"a server goes on with it", "s", []Edge{{From: "s", Origins: []string{"s"}}, {From: "c", Origins: []string{"s"}, Receives: true}}, false},
		{"clients tell each other", "s", []Edge{{From: "s"}, {From: "c", Receives: true}, {From: "c", Origins: []string{"s"}}}, false},
		{"clients go on with those of others", "s", []Edge{{From: "s"}, {From: "c", Origins: []string{"t"}}}, true},
		{"servers tell each other", "s", []Edge{{From: "s", Receives: true}}, false},
		{"two targets are one peer", "c+s", []Edge{{From: "s"}}, false},
	} {
		if got := mayWithdraw(&Partition{Class: tt.class, Edges: tt.edges}); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
