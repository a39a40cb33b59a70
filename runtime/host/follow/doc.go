// Package follow lets hosts track, by the events of a node, their open executions, and running round loops.
package follow
