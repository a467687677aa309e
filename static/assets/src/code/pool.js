'use strict';

const { EventEmitter } = require('node:events');
const fs = require('fs');
const path = require('path');
const util = require('util');
const helpers = require('./helpers');

var hasOwn = Object.prototype.hasOwnProperty;

/**
 * A pool of connections.
 *
 * @class
 * @param {Object} [options] - Options
 * @param {number} [options.max=10] - The maximum number of connections
 * @param {boolean} [options.lazy=false] - Whether to wait for the first request
 * @param {Function} [callback]
 * @returns {Pool}
 * @public
 */
function Pool(options, callback) {
  if (!(this instanceof Pool)) return new Pool(options, callback);
  EventEmitter.call(this);

  this.options = Object.assign({}, Pool.defaults, options);
  this._idle = [];
  this._callback = typeof callback === 'function' ? callback : null;
  this.size = 0;
}

util.inherits(Pool, EventEmitter);

Pool.prototype.load = function load(files, done) {
  var self = this;

  if (!Array.isArray(files)) {
    throw new TypeError('Expected an array of file names, got ' + typeof files);
  }

  files.forEach(function (file, index) {
    fs.readFile(path.join(__dirname, file), 'utf8', function (err, data) {
      if (err) {
        self.emit('error', err);
        return done(err);
      }
      for (var key in data) {
        if (!hasOwn.call(data, key)) continue;
        self._idle.push({ key: key, value: data[key] });
      }
      if (index === files.length - 1) done(null, self._idle.length);
    });
  });

  return this;
};

module.exports = Pool;
module.exports.default = Pool;
