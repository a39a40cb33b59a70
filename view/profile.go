package view

import (
	"encoding/json"
	"fmt"
)

// Profile is the time of a run by node, as written by "bench -profile -json" of a generated program.
type Profile struct {
	Name    string         `json:"name"`
	Level   string         `json:"level"`
	Threads int            `json:"threads"`
	Total   float64        `json:"total_us"`
	Other   float64        `json:"other_us"`
	Nodes   []ProfiledNode `json:"nodes"`
}

// ProfiledNode is the time of one node.
type ProfiledNode struct {
	Node   string  `json:"node"`
	Call   string  `json:"call"`
	Times  int     `json:"times"`
	Time   float64 `json:"us"`
	Share  float64 `json:"share"`
	GFLOPS float64 `json:"gflops"`
	GBS    float64 `json:"gbs"`
	Bound  string  `json:"bound"`
}

// ParseProfile parses a profile.
func ParseProfile(file string, b []byte) (*Profile, error) {
	p := new(Profile)
	if err := json.Unmarshal(b, p); err != nil {
		return nil, fmt.Errorf("%s is no profile, want what \"bench -profile -json\" of a generated program prints: %w", file, err)
	}
	if len(p.Nodes) == 0 {
		return nil, fmt.Errorf("%s has no nodes, want what \"bench -profile -json\" of a generated program prints", file)
	}
	if len(p.Nodes) > maxNodes {
		return nil, fmt.Errorf("%s has %d nodes, want %d at most", file, len(p.Nodes), maxNodes)
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		n.Node, n.Call = clip(n.Node), clip(n.Call)
	}
	return p, nil
}
