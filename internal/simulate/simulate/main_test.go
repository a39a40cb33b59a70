package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/bbgen/bbgen/internal/simulate/explore"
)

// If this is set, the test runs as the command itself.
const asCommand = "SIMULATE_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// The command ends with its line of JSON, however it ends.
func TestEnds(t *testing.T) {
	for name, c := range map[string]struct {
		signal os.Signal
		args   []string
		cut    bool
	}{
		"all are played": {nil, []string{"-schedules", "20"}, false},
		"no time":        {nil, []string{"-schedules", "0", "-for", "1ns"}, true},
		"SIGTERM":        {syscall.SIGTERM, []string{"-schedules", "0"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := play(t, c.signal, c.args...)
			if s.Cut != c.cut || s.Failures != 0 || !c.cut && s.Schedules != 20 || len(s.Events) == 0 {
				t.Errorf("got %+v", s)
			}
		})
	}
}

// play runs the command, sends it a signal when it has begun, and returns its last line.
func play(t *testing.T, signal os.Signal, args ...string) (s explore.Summary) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	var out bytes.Buffer
	cmd.Stdout = &out
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(stderr).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if signal != nil {
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, &out)
	}
	lines := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if err := json.Unmarshal(lines[len(lines)-1], &s); err != nil {
		t.Errorf("%v: %s", err, &out)
	}
	return s
}
