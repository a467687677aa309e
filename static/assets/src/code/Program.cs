using System;
using System.Collections.Generic;

namespace Example.App
{
    /// <summary>
    /// Sends messages.
    /// </summary>
    public class MessageService : IMessageService
    {
        private readonly ILogger<MessageService> _logger;

        public string Name { get; set; } = string.Empty;

        public async Task<int> SendAsync(IEnumerable<string> messages)
        {
            foreach (var message in messages)
            {
                await Task.Delay(10);
            }
            return 0;
        }
    }
}
