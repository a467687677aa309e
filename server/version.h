/* version.h - what this release calls itself. */
#ifndef ARXD_VERSION_H
#define ARXD_VERSION_H

#define ARXD_VERSION "0.1.0"

#endif
