// Package doctor implements bbgen doctor, which checks whether this machine can build and run generated
// programs.
package doctor

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bbgen/bbgen/internal/cmd/cli"
)

// Command is bbgen doctor.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "say whether this machine can build and run what bbgen makes",
		Long: `Doctor looks at Go and its caches, the processor, memory, ports and the module around
here, and says what to do where something is wrong. It changes nothing. The exit code is
1 if something is wrong. A peer has a doctor of its own, for its state and its peers:
PEER doctor -state DIR.`,
		Args: cli.None(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &examination{w: cmd.OutOrStdout()}
			d.toolchain(cmd.Context())
			d.machine()
			d.ports()
			d.module(".")
			if d.wrong > 0 {
				return fmt.Errorf("doctor: problems found: %d", d.wrong)
			}
			return nil
		},
	}
}

// examination prints the findings, one in each line.
type examination struct {
	w     io.Writer
	wrong int
}

func (d *examination) good(format string, args ...any) { d.say("ok    ", format, args...) }

// note prints something that may be intended.
func (d *examination) note(format string, args ...any) { d.say("note  ", format, args...) }

func (d *examination) bad(format string, args ...any) {
	d.wrong++
	d.say("wrong ", format, args...)
}

func (d *examination) say(how, format string, args ...any) {
	fmt.Fprintf(d.w, how+format+"\n", args...)
}
