// Package interpret runs cut programs for tests: all peers in one process, with components that are not there. It uses
// neither generated code nor the engine, so it shows faults of the cut alone.
package interpret
