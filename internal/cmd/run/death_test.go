package run

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
)

// TestRunPageDeath: the page of a run of processes shows that one of them was killed, and that the others go on.
func TestRunPageDeath(t *testing.T) {
	dir := t.TempDir()
	newPeers(t, `print {"peer":"NAME","kind":"started","state":"running","in":1,"out":2}
mortal `+dir)
	in, out := io.Pipe()
	cmd := Command()
	cmd.SetArgs([]string{"peer", "-n", "client=2", "--http", "0"})
	cmd.SetOut(out)
	cmd.SetErr(io.Discard)
	done := make(chan error, 1)
	go func() {
		err := cmd.Execute()
		out.CloseWithError(io.EOF)
		done <- err
	}()
	var url string
	lines := bufio.NewReader(in)
	if _, err := fmt.Fscanf(lines, "watch it at %s\n", &url); err != nil {
		t.Fatal(err, <-done)
	}
	resp, err := http.Get(url + "events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page := bufio.NewReader(resp.Body)
	var seen strings.Builder
	until := func(want string) {
		t.Helper()
		for !strings.Contains(seen.String(), want) {
			line, err := page.ReadString('\n')
			if seen.WriteString(line); err != nil {
				t.Fatalf("the page ends without %q: %v", want, err)
			}
		}
	}
	until("3 up")
	cmdtest.File(t, dir, "client-1", "")
	until("2 up, 1 killed")
	until("client-1 is gone: it was killed, and does not come back")
	cmdtest.File(t, dir, "end", "")
	io.Copy(io.Discard, lines)
	<-done
}
