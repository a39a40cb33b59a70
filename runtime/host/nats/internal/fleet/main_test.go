package main

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// TestMain: the test binary is the broker, too.
func TestMain(m *testing.M) {
	if len(os.Args) >= 2 && os.Args[1] == "broker" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestRun: twenty clients and a server make three rounds.
func TestRun(t *testing.T) {
	f := fleet{clients: 20, rounds: 3, params: 10}
	var out bytes.Buffer
	if err := f.run(&out); err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	var r result
	if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
		t.Fatalf("%s: %v", &out, err)
	}
	if len(lines) != 5 || r.Clients != 20 || r.Rounds != 3 || r.Bytes != 80 {
		t.Errorf("the output is\n%s", &out)
	}
}
