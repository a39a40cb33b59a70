package view

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/runtime/host/httpguard"
	"github.com/bbgen/bbgen/view"
)

// maxConnections is the number of connections of a browser, with some reserve.
const maxConnections = 32

// serve serves the page until the process ends.
func (f *flags) serve(cmd *cobra.Command, html []byte) error {
	l, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", f.listen, err)
	}
	defer l.Close()
	if !httpguard.IsLocal(l) {
		return cli.Usagef("--listen is %q, want an address of loopback, as in 127.0.0.1:8080: the page shows the model to every client", f.listen)
	}
	address := url(l.Addr().String())
	fmt.Fprintln(cmd.OutOrStdout(), address)
	if f.open {
		openBrowser(address)
	}
	s := &http.Server{
		Handler: view.Handler(html), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 5 * time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
	}
	return s.Serve(httpguard.Guard(s, l, maxConnections))
}

// openBrowser opens an address in the system's browser. Failures are ignored, as the address has been
// printed.
func openBrowser(address string) {
	command := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open"}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	cmd := exec.Command(command[0], append(command[1:], address)...)
	if cmd.Start() == nil {
		go cmd.Wait()
	}
}
