//go:build unix

package serve

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestStop checks that a signal ends the command only after the present request is answered.
func TestStop(t *testing.T) {
	started, goOn := make(chan bool), make(chan bool)
	p := adder(1, func() error { started <- true; <-goOn; return nil })
	r, stdout := io.Pipe()
	stopped := make(chan error, 1)
	go func() { stopped <- Command.Run(p, []string{"-listen", "127.0.0.1:0"}, stdout) }()
	line := make([]byte, 100)
	n, err := r.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	url, ok := strings.CutPrefix(strings.TrimSpace(string(line[:n])), "listening on ")
	if !ok {
		t.Fatalf("printed %q", line[:n])
	}
	answer := make(chan string, 1)
	go func() {
		resp, err := http.Post(url+"/run", mimeJSON, strings.NewReader(request))
		if err != nil {
			answer <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		answer <- resp.Status + " " + string(bytes.TrimSpace(body))
	}()
	<-started
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for { // until it accepts no more
		c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			break
		}
		c.Close()
		time.Sleep(time.Millisecond)
	}
	select {
	case err := <-stopped:
		t.Errorf("stopped while a request was computed: %v", err)
	default:
	}
	close(goOn)
	if got, want := <-answer, `200 OK {"outputs":{"sum":{"dtype":"float32","shape":[1,2],"data":[1,2]}}}`; got != want {
		t.Errorf("request at the time of the signal: got %s, want %s", got, want)
	}
	if err := <-stopped; err != nil {
		t.Errorf("stopped with %v", err)
	}
}
